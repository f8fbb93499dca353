import { openRecallLane } from '../../../src/engine/active-memory/lane.js';
import type { RecallOutcome } from '../../../src/engine/active-memory/outcome.js';
import type { RecallTurn } from '../../../src/engine/active-memory/turn.js';
import type { ConfigInput } from '../../../src/engine/config/schema/index.js';
import { type EngineContext, resolveStatePaths } from '../../../src/engine/support/context.js';
import { CHAT_KEY, type ChatFakeOptions, startOpenAiChatFake } from '../../fakes/chat.js';
import type { FakeVendor } from '../../fakes/fake-vendor.js';
import { folderOf, type TempFolder } from '../../support/temp-folder.js';

type Plugin = NonNullable<
  NonNullable<NonNullable<ConfigInput['plugins']>['entries']>['active-memory']
>;

/** A configuration with active memory on, a workspace with notes, and a clock. */
export interface RecallWorld {
  readonly folder: TempFolder;
  readonly context: EngineContext;
  /** Lets time pass; milliseconds. */
  pass(ms: number): void;
  /** Rewrites the configuration. */
  configure(config: Plugin['config'], more?: ConfigInput): void;
  lane(): ReturnType<typeof openRecallLane>;
  recall(message: string, turn?: Partial<RecallTurn>, leftMs?: number): Promise<RecallOutcome>;
}

/** The conversation that the turns of {@link RecallWorld.recall} are in. */
export const SESSION_KEY = 'agent:main:telegram:direct:42';

/** Notes in which every question of the tests finds its answer, or none. */
export const NOTES = {
  'ws/MEMORY.md': '# Ops\n\nThe nightly backup runs at 03:15 on host atlas.\n',
  'ws/memory/2026-02-03.md': 'Ada prefers tea without milk.\nThe car is a green Saab 900.\n',
};

/** Makes a world in a folder of its own. */
export function recallWorld(
  config: Plugin['config'] = {},
  more: ConfigInput = {},
  notes: Readonly<Record<string, string>> = NOTES,
): RecallWorld {
  const folder = folderOf(notes);
  let nowMs = Date.parse('2026-03-01T10:00:00Z');
  const home = folder.at('home');
  const context: EngineContext = {
    env: { SVC_HOME: home },
    cwd: folder.path,
    homeDir: home,
    state: resolveStatePaths({ SVC_HOME: home }, home),
    clock: { now: () => nowMs },
  };
  const configure = (changed: Plugin['config'], rest: ConfigInput = {}): void => {
    const entry = { enabled: true, config: { agents: ['main'], ...changed } };
    const written: ConfigInput = {
      agents: { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } },
      plugins: { entries: { 'active-memory': entry } },
      ...rest,
    };
    folder.write('svc.json', JSON.stringify(written));
  };
  configure(config, more);
  const lane = (): ReturnType<typeof openRecallLane> =>
    openRecallLane(context, { configFile: folder.at('svc.json') });
  return {
    folder,
    context,
    configure,
    lane,
    pass: (ms) => {
      nowMs += ms;
    },
    recall: async (message, turn = {}, leftMs = 60_000) =>
      (await lane()).recall(
        {
          message,
          earlier: () => [],
          session: { sessionKey: SESSION_KEY, channel: 'telegram' },
          trigger: 'user',
          ...turn,
        },
        { signal: new AbortController().signal, leftMs },
      ),
  };
}

/** A configuration of a model that this fake answers for. */
export const modelsOf = (fake: FakeVendor) => ({
  agents: { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } },
  models: { providers: { corp: { baseUrl: `${fake.origin}/v1`, apiKey: CHAT_KEY } } },
});

/** Runs work in a world whose recalls are condensed by a model. */
export async function withModel<T>(
  config: Parameters<typeof recallWorld>[0],
  options: ChatFakeOptions,
  work: (world: RecallWorld, fake: FakeVendor) => Promise<T>,
): Promise<T> {
  const fake = await startOpenAiChatFake(options);
  try {
    const plugin = { enabled: true, config: { agents: ['main'], model: 'corp/small', ...config } };
    const world = recallWorld(
      {},
      { ...modelsOf(fake), plugins: { entries: { 'active-memory': plugin } } },
    );
    return await work(world, fake);
  } finally {
    await fake.close();
  }
}
