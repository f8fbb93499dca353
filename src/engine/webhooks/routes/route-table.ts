import type { ServedRoute } from './served-route.js';

/** Finds the route of a request. Never changed: a reload makes another one. */
export class RouteTable {
  private readonly byPath: ReadonlyMap<string, ServedRoute>;

  constructor(routes: readonly ServedRoute[]) {
    this.byPath = new Map(routes.map((route) => [route.path, route]));
  }

  /** @param url the target of a request, as it was sent */
  find(url: string): ServedRoute | undefined {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    return this.byPath.get(path) ?? this.byPath.get(plainPath(path));
  }
}

/** Without slashes at its end, and with signs that need no escape as they are. */
function plainPath(path: string): string {
  const bare = path.replace(/\/+$/u, '');
  try {
    return bare.includes('%') ? decodeURI(bare) : bare;
  } catch {
    return bare;
  }
}
