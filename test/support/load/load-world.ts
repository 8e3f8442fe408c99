import type { Random } from "../../model/random.ts";
import { apps, type LoadKind, loadKinds, namespaces } from "./load-kinds.ts";
import { LoadObject } from "./load-object.ts";

/** One write to be sent, and what the world is once it is acknowledged. */
export interface LoadRequest {
  readonly object: LoadObject;
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body: string;
  readonly type: string;
  /** The label afterwards; undefined: it is deleted. */
  readonly app: string | undefined;
}

/** All objects of the load, and what happens to them next. An object has one write under way at most, so that its order is known. */
export class LoadWorld {
  readonly objects: LoadObject[] = [];
  readonly #random: Random;
  readonly #byKind = new Map<LoadKind, LoadObject[]>();
  #serial = 0;

  constructor(random: Random) {
    this.#random = random;
    for (const kind of loadKinds) this.#byKind.set(kind, []);
  }

  next(): LoadRequest {
    for (;;) {
      const kind = this.#kind();
      // Of a third of all writes half create and half delete, once there are as many as there should be.
      const request = this.#random.chance(0.36) ? this.#churn(kind) : this.#change(kind);
      if (!request) continue;
      request.object.isBusy = true;
      return request;
    }
  }

  #kind(): LoadKind {
    let at = this.#random.int(100);
    for (const kind of loadKinds) {
      at -= kind.share;
      if (at < 0) return kind;
    }
    throw new Error("the shares of the kinds are no hundred");
  }

  #churn(kind: LoadKind): LoadRequest | undefined {
    const known = this.#byKind.get(kind) ?? [];
    const object = this.#random.pick(known);
    // Twice as many names as objects: half of them exist, and names come back.
    if (known.length < 2 * kind.population && (!object || this.#random.chance(0.5))) return this.#create(kind);
    if (!object || object.isBusy) return undefined;
    if (!object.exists) return this.#created(object);
    const path = pathOf(object);
    return { object, method: "DELETE", path, body: "", type: "application/json", app: undefined };
  }

  #create(kind: LoadKind): LoadRequest {
    const namespace = this.#random.pick(namespaces) ?? "";
    const object = new LoadObject(kind, namespace, `object-${this.objects.length}`);
    this.objects.push(object);
    this.#byKind.get(kind)?.push(object);
    return this.#created(object);
  }

  #created(object: LoadObject): LoadRequest {
    const app = this.#random.pick(apps) ?? "";
    const body = object.kind.body(object.name, app, "", this.#nextSerial());
    return { object, method: "POST", path: collectionOf(object), body, type: "application/json", app };
  }

  #change(kind: LoadKind): LoadRequest | undefined {
    const object = this.#random.pick(this.#byKind.get(kind) ?? []);
    if (!object?.exists || object.isBusy) return undefined;
    // Now and then one changes hands, and leaves one selector for another.
    const app = this.#random.chance(0.05) ? this.#random.pick(apps) : object.last?.app;
    const { change, body } = kind;
    const serial = this.#nextSerial();
    if (change !== "put") {
      const path = `${pathOf(object)}${change.path}`;
      return { object, method: "PATCH", path, body: change.patch(app ?? "", serial), type: change.type, app };
    }
    const whole = body(object.name, app ?? "", String(object.last?.revision), serial);
    return { object, method: "PUT", path: pathOf(object), body: whole, type: "application/json", app };
  }

  #nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }
}

function collectionOf({ kind, namespace }: LoadObject): string {
  return `${kind.root}/namespaces/${namespace}/${kind.plural}`;
}

function pathOf(object: LoadObject): string {
  return `${collectionOf(object)}/${object.name}`;
}
