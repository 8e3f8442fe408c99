import { messageOf } from "@etcd-operator/kubernetes-client";
/** The value of a text that should be JSON. */
export function parseJson(text: string, refusal: (why: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal(messageOf(error));
  }
}
