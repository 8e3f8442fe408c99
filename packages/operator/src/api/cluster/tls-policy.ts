import * as z from "zod";
import { objectName } from "../schema/primitives.ts";
import { type Rule, withRules } from "../schema/rule.ts";

const memberSecrets = z.object({
  peerSecret: objectName()
    .optional()
    .describe("Secret with `peer.crt`, `peer.key` and `peer-ca.crt`: traffic between members."),
  serverSecret: objectName()
    .optional()
    .describe("Secret with `server.crt`, `server.key` and `server-ca.crt`: traffic from clients."),
});

const staticTls = z.object({
  member: memberSecrets.optional().describe("Secrets for the members."),
  operatorSecret: objectName()
    .optional()
    .describe(
      "Secret with `etcd-client.crt`, `etcd-client.key` and `etcd-client-ca.crt`: the operator's client certificate.",
    ),
});

const operatorHasServer: Rule<z.output<typeof staticTls>> = {
  holds: (tls) => !tls.operatorSecret || Boolean(tls.member?.serverSecret),
  cel: `!has(self.operatorSecret) || self.operatorSecret == '' ||
    has(self.member) && has(self.member.serverSecret) && self.member.serverSecret != ''`,
  message:
    "operatorSecret '{}' needs member.serverSecret: members without a server certificate do not serve TLS to clients; set both or neither",
  offender: { of: (tls) => tls.operatorSecret ?? "", cel: "self.operatorSecret" },
};

const serverHasOperator: Rule<z.output<typeof staticTls>> = {
  holds: (tls) => !tls.member?.serverSecret || Boolean(tls.operatorSecret),
  cel: `!has(self.member) || !has(self.member.serverSecret) || self.member.serverSecret == '' ||
    has(self.operatorSecret) && self.operatorSecret != ''`,
  message:
    "member.serverSecret '{}' needs operatorSecret: without a client certificate the operator cannot reach the members; set both or neither",
  offender: { of: (tls) => tls.member?.serverSecret ?? "", cel: "self.member.serverSecret" },
};

/** TLS from Secrets that the user maintains. */
export const tlsPolicy = z.object({
  static: withRules(staticTls, [operatorHasServer, serverHasOperator])
    .optional()
    .describe("TLS from Secrets that you maintain."),
});
