import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, Rest } from "../../target.ts";

export function impersonationCases(target: () => ConformanceTarget): void {
  describe("impersonation", () => {
    const at = scopeOf(target);

    test("turns the administrator into the named user, with the named groups", async () => {
      const user = await whoami(at().rest, {
        "Impersonate-User": "jane",
        "Impersonate-Group": "dev",
        "Impersonate-Uid": "7",
        "Impersonate-Extra-scopes": "a",
      });
      expect(user).toEqual({
        username: "jane",
        uid: "7",
        groups: ["dev", "system:authenticated"],
        extra: { scopes: ["a"] },
      });
    });

    test("as a ServiceAccount brings its groups along", async () => {
      const username = `system:serviceaccount:${at().namespace}:default`;
      expect(await whoami(at().rest, { "Impersonate-User": username })).toEqual({
        username,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${at().namespace}`, "system:authenticated"],
      });
    });

    test("has the rights of whom it names, and not of who asks", async () => {
      const headers = { "Impersonate-User": "jane" };
      const { code, body } = await at().rest("GET", at().path("pods"), undefined, { headers });
      expect(code).toBe(403);
      expect(body.message).toBe(
        `pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "${at().namespace}"`,
      );
    });

    test.each<[Record<string, string>, string]>([
      [
        { "Impersonate-User": "jane" },
        'users "jane" is forbidden: %s cannot impersonate resource "users" in API group ""',
      ],
      [
        { "Impersonate-User": "system:serviceaccount:kube-system:x" },
        'serviceaccounts "x" is forbidden: %s cannot impersonate resource "serviceaccounts" in API group "" in the namespace "kube-system"',
      ],
    ])("is a right of its own: %j", async (headers, message) => {
      const path = at().path("serviceaccounts", "default/token");
      const { status } = expectCode(201, await at().rest<{ status: { token: string } }>("POST", path, { spec: {} }));
      const { code, body } = await target().restWithToken(status.token)("GET", "/api", undefined, { headers });
      expect(code).toBe(403);
      const user = `User "system:serviceaccount:${at().namespace}:default"`;
      expect(body.message).toContain(message.replace("%s", user));
    });

    test("of a group without a user is a mistake", async () => {
      const answer = await at().rest("GET", "/api", undefined, { headers: { "Impersonate-Group": "dev" } });
      expect(answer.code).toBe(500);
      expect(answer.text.trim()).toBe(
        'Internal Server Error: "/api": requested [{Group  dev    }] without impersonating a user',
      );
    });

    test("is what kubectl --as does", async () => {
      const shown = await at().kubectlOk(["auth", "whoami", "--as", "jane", "--as-group", "dev", "-o", "json"]);
      expect(JSON.parse(shown)).toMatchObject({
        status: { userInfo: { username: "jane", groups: ["dev", "system:authenticated"] } },
      });
    });
  });
}

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

async function whoami(rest: Rest, headers: Record<string, string>): Promise<UserInfo> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const answer = await rest<{ status: { userInfo: UserInfo } }>("POST", path, body, { headers });
  return expectCode(201, answer).status.userInfo;
}
