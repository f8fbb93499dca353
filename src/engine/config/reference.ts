import { isRecord, valueAt } from './config-path.js';
import { COMPUTED_DEFAULTS, CONFIG_DEFAULTS, ENTRY_DEFAULTS } from './defaults.js';
import { describeType } from './schema/describe-type.js';
import { configSchema } from './schema/index.js';
import { descriptionOf, isGroup, knownKeys, walkKeys } from './schema/walk.js';

/** One key of the configuration, as the reference page shows it. */
export interface ReferenceKey {
  /** `*` stands for any map key, `[]` for any list position. */
  readonly path: string;
  /** What it accepts, in words. */
  readonly type: string;
  /** The default as Markdown; undefined when there is none. */
  readonly default: string | undefined;
  readonly description: string;
}

/** Where another part of the tree is repeated, and is not listed again. */
const REPEATED = 'agents.list.*.memorySearch';

/** Every single key of the configuration by root, in the order of the schema. */
export function referenceByRoot(): ReadonlyMap<string, readonly ReferenceKey[]> {
  const roots = new Map<string, ReferenceKey[]>(knownKeys(configSchema).map((root) => [root, []]));
  const listed = new Map<string, ReferenceKey>();
  for (const { path, schema } of walkKeys(configSchema)) {
    const dotted = path.join('.');
    const description = descriptionOf(schema);
    if (description === '' || dotted.startsWith(`${REPEATED}.`)) continue;
    if (isGroup(schema) && dotted !== REPEATED) continue;
    const earlier = listed.get(dotted);
    const type = describeType(schema);
    const key = {
      path: writePath(path),
      type: earlier === undefined || earlier.type === type ? type : `${earlier.type} or ${type}`,
      default: defaultOf(path),
      description,
    };
    const keys = roots.get(path[0] ?? '') ?? [];
    if (earlier === undefined) keys.push(key);
    else keys.splice(keys.indexOf(earlier), 1, key);
    listed.set(dotted, key);
  }
  return roots;
}

/** The default of a key as Markdown; undefined when there is none. */
function defaultOf(path: readonly string[]): string | undefined {
  const computed = COMPUTED_DEFAULTS[path.join('.')];
  if (computed !== undefined) return computed;
  const value = lookUp(path);
  return value === undefined || isRecord(value) ? undefined : `\`${JSON.stringify(value)}\``;
}

function lookUp(path: readonly string[]): unknown {
  const entry = ENTRY_DEFAULTS[path.slice(0, -1).join('.')];
  const last = path.at(-1);
  if (entry !== undefined && last !== undefined && Object.hasOwn(entry, last)) return entry[last];
  return valueAt(CONFIG_DEFAULTS, path);
}

/** Lists are the only thing whose positions are `*` below the keys named here. */
const LISTS = new Set(['list', 'models', 'paths', 'rules', 'extraCollections', 'readers']);

function writePath(path: readonly string[]): string {
  return path
    .map((key, at) => (key === '*' ? (LISTS.has(path[at - 1] ?? '') ? '[]' : '.<id>') : `.${key}`))
    .join('')
    .slice(1);
}
