import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { DeepReadonly } from '../errors/output-schema.js';
import type { StatePaths } from '../support/context.js';
import { readJsonFile, writeJsonFile } from '../support/json-file.js';

/*
 * Receipts record what svc inserted into a file of an agent, so that it can be reverted exactly. They contain
 * none of the original text, which may be secret.
 */

/** One entry that was added to a text; the next layer was added after it. */
const layerSchema = z.strictObject({
  /** The key of the entry. */
  entry: z.string(),
  /** Hash of the text with it. */
  after: z.string(),
  insertions: z.array(z.strictObject({ offset: z.int(), text: z.string() })),
  /** The objects and lists that were created for it, outermost first. */
  made: z.array(z.array(z.union([z.string(), z.int()]))),
  /** Set when the file was created for it, with the outermost created folder. */
  newFile: z.nullable(z.strictObject({ folder: z.nullable(z.string()) })),
  /** The URL that the entry was changed to later, in a text that had other changes. */
  url: z.optional(z.string()),
});
export type Layer = DeepReadonly<z.infer<typeof layerSchema>>;

const receiptSchema = z.strictObject({
  version: z.literal(1),
  file: z.string(),
  layers: z.array(layerSchema),
});

/** The layers of a file, oldest first. */
export function readLayers(state: StatePaths, file: string): readonly Layer[] {
  const { data } = receiptSchema.safeParse(readJsonFile(receiptFile(state, file)));
  // Without a receipt only the entry itself is removed.
  return data?.file === file ? data.layers : [];
}

/** Whether svc wrote an entry: a receipt contains its URL, or the path of its script. */
export function wasWritten(layers: readonly Layer[], key: string, scriptOrUrl: string): boolean {
  const written = JSON.stringify(scriptOrUrl);
  return layers.some(
    ({ entry, insertions, url }) =>
      entry === key &&
      (url === scriptOrUrl || insertions.some(({ text }) => text.includes(written))),
  );
}

/** The layers after an entry was changed in place; its new URL shows later that svc wrote it. */
export function withUrl(
  layers: readonly Layer[],
  entry: string,
  url: string | undefined,
): readonly Layer[] {
  if (url === undefined) return layers;
  const hasLayer = layers.some((layer) => layer.entry === entry);
  const irreversible = { entry, after: '', insertions: [], made: [], newFile: null, url };
  if (!hasLayer) return [...layers, irreversible];
  return layers.map((layer) => (layer.entry === entry ? { ...layer, url } : layer));
}

/** Stores the layers of a file; without layers, its receipt is deleted. @throws the system's error */
export function writeLayers(state: StatePaths, file: string, layers: readonly Layer[]): void {
  const receipt = receiptFile(state, file);
  if (layers.length === 0) {
    rmSync(receipt, { force: true });
    return;
  }
  writeJsonFile(receipt, { version: 1, file, layers });
}

/** The folder of the receipts and their lock. */
export function integrationsFolder({ stateDir }: StatePaths): string {
  return join(stateDir, 'integrations');
}

function receiptFile(state: StatePaths, file: string): string {
  return join(integrationsFolder(state), `${hash('sha256', file).slice(0, 24)}.json`);
}
