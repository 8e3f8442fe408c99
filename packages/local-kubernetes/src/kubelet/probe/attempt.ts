import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Container, HTTPGetAction, Probe } from "kubernetes-types/core/v1.d.ts";

export interface ProbeTarget {
  readonly container: Container;
  readonly podIp: string;
  /** Runs a command in the container. */
  exec(
    command: readonly string[],
    timeoutMs: number,
  ): Promise<{ exitCode: number; output: string; isTimedOut: boolean }>;
}

export interface Outcome {
  readonly isSuccess: boolean;
  readonly message: string;
}

/** Asks a container once. Never throws: what goes wrong is the answer. */
export async function attempt(probe: Probe, target: ProbeTarget): Promise<Outcome> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  if (probe.exec) return execOutcome(probe.exec.command ?? [], target, timeoutMs);
  if (probe.httpGet) return httpOutcome(probe.httpGet, target, timeoutMs);
  if (probe.tcpSocket) {
    const { host = target.podIp, port } = probe.tcpSocket;
    return tcpOutcome(host, portNumber(port, target.container), timeoutMs);
  }
  return { isSuccess: false, message: "local mode knows httpGet, tcpSocket and exec probes only" };
}

/** A port by its number, or by its name among the container's ports. */
export function portNumber(port: number | string, { ports = [] }: Container): number {
  const named = ports.find(({ name }) => name === port)?.containerPort;
  return named ?? Number(port);
}

async function execOutcome(command: readonly string[], target: ProbeTarget, timeoutMs: number): Promise<Outcome> {
  const { exitCode, output, isTimedOut } = await target.exec(command, timeoutMs);
  if (isTimedOut) return { isSuccess: false, message: `command timed out after ${timeoutMs / 1000}s` };
  return { isSuccess: exitCode === 0, message: output };
}

async function httpOutcome(
  action: HTTPGetAction,
  { container, podIp }: ProbeTarget,
  timeoutMs: number,
): Promise<Outcome> {
  const { host = podIp, path = "/", scheme, httpHeaders = [] } = action;
  const request = scheme === "HTTPS" ? httpsRequest : httpRequest;
  const options = {
    ...{ host, port: portNumber(action.port, container), path: path.startsWith("/") ? path : `/${path}`, agent: false },
    // As Kubernetes: a probe asks whether it answers, not who it is.
    rejectUnauthorized: false,
    headers: {
      "User-Agent": "kube-probe/1.34",
      ...Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value])),
    },
  };
  return new Promise((resolve) => {
    const sent = request(options, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      const isSuccess = statusCode >= 200 && statusCode < 400;
      resolve({ isSuccess, message: isSuccess ? "" : `HTTP probe failed with statuscode: ${statusCode}` });
      response.once("end", () => clearTimeout(impatience));
    });
    const impatience = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs / 1000}s`)), timeoutMs);
    sent.once("error", (error) => {
      clearTimeout(impatience);
      resolve({ isSuccess: false, message: `Get "${urlOf(options, scheme)}": ${error.message}` });
    });
    sent.end();
  });
}

function urlOf({ host, port, path }: { host: string; port: number; path: string }, scheme = "HTTP"): string {
  return `${scheme.toLowerCase()}://${host}:${port}${path}`;
}

async function tcpOutcome(host: string, port: number, timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const answer = (isSuccess: boolean, message: string) => {
      socket.destroy();
      resolve({ isSuccess, message });
    };
    socket.once("connect", () => answer(true, ""));
    socket.once("timeout", () => answer(false, `dial tcp ${host}:${port}: no answer within ${timeoutMs / 1000}s`));
    socket.once("error", (error) => answer(false, `dial tcp ${host}:${port}: ${error.message}`));
  });
}
