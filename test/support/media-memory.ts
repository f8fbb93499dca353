import { type OpenedMemory, openMemory } from '../../src/engine/memory/open-memory.js';
import { GEMINI_KEY, type GeminiFake } from '../fakes/gemini.js';
import { contextOf } from './context.js';
import { type TempFolder, tempFolder } from './temp-folder.js';

/** A memory with images and recordings whose provider is a fake of Gemini. */
export interface MediaMemory {
  /** The workspace: files go below `memory/`. */
  readonly folder: TempFolder;
  /** Opens it with these settings added; the caller closes its backend. */
  open(memorySearch?: Readonly<Record<string, unknown>>): Promise<OpenedMemory>;
}

/** `memorySearch` settings that use a fake of Gemini. */
export function geminiSearchSettings(fake: GeminiFake): Readonly<Record<string, unknown>> {
  return {
    provider: 'gemini',
    model: 'gemini-embedding-2',
    remote: { baseUrl: `${fake.origin}/v1beta`, apiKey: GEMINI_KEY },
    multimodal: { enabled: true, modalities: ['all'] },
  };
}

/** A memory in a new folder, with these files by path below the workspace. */
export function mediaMemory(
  fake: GeminiFake,
  files: Readonly<Record<string, Buffer | string>> = {},
): MediaMemory {
  const folder = tempFolder();
  const home = tempFolder();
  for (const [path, content] of Object.entries(files)) folder.write(path, content);
  return {
    folder,
    open: (memorySearch = {}) => {
      const settings = { ...geminiSearchSettings(fake), ...memorySearch };
      const defaults = { workspace: folder.path, memorySearch: settings };
      const configFile = home.write('svc.json', JSON.stringify({ agents: { defaults } }));
      const context = contextOf(home.path);
      return openMemory(context, { kind: 'agent' }, { configFile });
    },
  };
}

/** The types of the files in each request to a fake, in the order of the requests. */
export function mediaSent(fake: GeminiFake): readonly (readonly string[])[] {
  return fake.requests
    .map(({ body }) => body.toString('utf8').matchAll(/"mimeType":"([^"]+)"/g))
    .map((found) => Array.from(found, ([, type = '']) => type))
    .filter((types) => types.length > 0);
}
