import assert from "node:assert/strict";
import { anEndpoint, aService, aSlice } from "@etcd-operator/testing/local/services.ts";
import { type DecodedPacket, decode, encode, type Packet } from "dns-packet";
import { describe, test } from "vitest";
import { ServiceDirectory } from "../service-directory.ts";
import { replyTo, type Zone } from "./exchange.ts";

const names = new ServiceDirectory();
names.setService(aService("web"));
names.setService(aService("many", { clusterIP: "None" }));
names.setSlice(
  aSlice(
    "many",
    Array.from({ length: 15 }, (_, index) => anEndpoint(`10.240.0.${index + 2}`)),
  ),
);
const zone: Zone = { names, clusterDomain: "cluster.local", isComplete: () => true };

type Reply = DecodedPacket & { readonly rcode: string };

function ask(name: string, more: Packet = {}, transport: "udp" | "tcp" = "udp", inZone = zone): Reply {
  const question = encode({ id: 7, type: "query", flags: 0x0100, questions: [{ name, type: "A" }], ...more });
  return decode(replyTo(question, inZone, transport) ?? Buffer.alloc(0)) as Reply;
}

describe("a DNS message", () => {
  test("is answered with authority, under its own id and question", () => {
    const reply = ask("WEB.ns.svc.cluster.local");
    assert.equal(reply.id, 7);
    assert.ok(reply.flag_aa && reply.flag_rd && reply.flag_ra);
    assert.equal(reply.questions?.[0]?.name, "WEB.ns.svc.cluster.local");
    assert.equal(reply.answers?.length, 1);
  });

  test("about a name that does not exist is answered with how long to remember that", () => {
    const reply = ask("nothing.ns.svc.cluster.local");
    assert.equal(reply.rcode, "NXDOMAIN");
    assert.equal(reply.authorities?.[0]?.type, "SOA");
  });

  test("is never told that a name does not exist before all names are known", () => {
    const unsure = { ...zone, isComplete: () => false };
    assert.equal(ask("nothing.ns.svc.cluster.local", {}, "udp", unsure).rcode, "SERVFAIL");
    assert.equal(ask("web.ns.svc.cluster.local", {}, "udp", unsure).rcode, "NOERROR");
  });

  test("that has too many answers for a datagram is told to come over TCP", () => {
    const overUdp = ask("many.ns.svc.cluster.local");
    assert.ok(overUdp.flag_tc);
    assert.equal(overUdp.answers?.length, 0);
    const overTcp = ask("many.ns.svc.cluster.local", {}, "tcp");
    assert.ok(!overTcp.flag_tc);
    assert.equal(overTcp.answers?.length, 15);
  });

  test("that offers larger datagrams gets one", () => {
    const offer = { type: "OPT", name: ".", udpPayloadSize: 4096, flags: 0, options: [] } as unknown;
    const reply = ask("many.ns.svc.cluster.local", { additionals: [offer] as NonNullable<Packet["additionals"]> });
    assert.equal(reply.answers?.length, 15);
    assert.equal(reply.additionals?.[0]?.type, "OPT");
  });

  test("that asks for anything but a name is not implemented", () => {
    assert.equal(ask("web.ns.svc.cluster.local", { flags: 5 << 11 }).rcode, "NOTIMP");
  });

  test("without a question is malformed, one that is no question is ignored", () => {
    assert.equal(ask("", { questions: [] }).rcode, "FORMERR");
    const broken = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 63]);
    assert.equal((decode(replyTo(broken, zone, "udp") ?? Buffer.alloc(0)) as Reply).rcode, "FORMERR");
    assert.equal(replyTo(encode({ type: "response", id: 7 }), zone, "udp"), undefined);
    assert.equal(replyTo(Buffer.from("x"), zone, "udp"), undefined);
  });
});
