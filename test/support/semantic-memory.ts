import { type OpenedMemory, openMemory } from '../../src/engine/memory/open-memory.js';
import type { FakeVendor } from '../fakes/fake-vendor.js';
import { GEMINI_KEY, type GeminiFake } from '../fakes/gemini.js';
import { OPENAI_KEY } from '../fakes/openai.js';
import { contextOf } from './context.js';
import { type TempFolder, tempFolder } from './temp-folder.js';

/** A memory whose provider is a fake. */
export interface SemanticMemory {
  /** The workspace: files go below `memory/`. */
  readonly folder: TempFolder;
  /** State and configuration. */
  readonly home: string;
  /** Opens it with these settings added; the caller closes its backend. */
  open(memorySearch?: Readonly<Record<string, unknown>>): Promise<OpenedMemory>;
}

/** `memorySearch` settings that use a fake of OpenAI. */
export function openAiSearchSettings(
  fake: Pick<FakeVendor, 'origin'>,
): Readonly<Record<string, unknown>> {
  return { provider: 'openai', remote: { baseUrl: `${fake.origin}/v1`, apiKey: OPENAI_KEY } };
}

/** `memorySearch` settings that use a fake of Gemini, also for images and recordings. */
export function geminiSearchSettings(
  fake: Pick<GeminiFake, 'origin'>,
): Readonly<Record<string, unknown>> {
  return {
    provider: 'gemini',
    model: 'gemini-embedding-2',
    remote: { baseUrl: `${fake.origin}/v1beta`, apiKey: GEMINI_KEY },
    multimodal: { enabled: true, modalities: ['all'] },
  };
}

/** A memory in a new folder; `config` is added next to `agents`. */
export function semanticMemory(
  fake: Pick<FakeVendor, 'origin'>,
  notes: Readonly<Record<string, string>> = {},
  config: Readonly<Record<string, unknown>> = {},
): SemanticMemory {
  const folder = tempFolder();
  const home = tempFolder();
  for (const [name, text] of Object.entries(notes)) folder.write(`memory/${name}`, text);
  return {
    folder,
    home: home.path,
    open: (memorySearch = {}) => {
      const defaults = {
        workspace: folder.path,
        memorySearch: { ...openAiSearchSettings(fake), ...memorySearch },
      };
      const configFile = home.write(
        'svc.json',
        JSON.stringify({ ...config, agents: { defaults } }),
      );
      return openMemory(contextOf(home.path), { kind: 'agent' }, { configFile });
    },
  };
}

/** All texts that a fake of OpenAI had to embed, questions included. */
export function textsSent(fake: FakeVendor): string[] {
  return fake.requests.flatMap(({ body }) => {
    const { input }: { input?: string | string[] } = JSON.parse(body.toString('utf8') || '{}');
    return input === undefined ? [] : [input].flat();
  });
}

/** The types of the media in each request to a fake of Gemini, in the order of the requests. */
export function mediaSent(fake: GeminiFake): readonly (readonly string[])[] {
  return fake.requests
    .map(({ body }) => body.toString('utf8').matchAll(/"mimeType":"([^"]+)"/g))
    .map((matches) => Array.from(matches, ([, type = '']) => type))
    .filter((types) => types.length > 0);
}
