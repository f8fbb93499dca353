import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { confirm } from '../../cli/confirm.js';
import { targetFlags, withEnvironment, yesFlag } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { followInAllStores } from '../../cli/memory-stores.js';
import { createLazySyncProgress } from '../../cli/sync-progress.js';
import { SvcError, type Warning } from '../../engine/errors/index.js';
import type { Forgetting } from '../../engine/memory/backends/memory-backend.js';
import type { StoreOutcome } from '../../engine/memory/forget/memory-store.js';
import {
  forgetListOutput,
  forgetOutput,
  forgetUndoOutput,
} from '../../engine/memory/forget/output.js';
import type {
  ForgetListOutput,
  ForgetOutput,
  ForgetUndoOutput,
} from '../../engine/memory/forget/output-schemas.js';
import type { OpenedMemory } from '../../engine/memory/open-memory.js';
import {
  renderForgetList,
  renderForgetPlan,
  renderForgotten,
  renderUndone,
} from '../../ui/memory/forget.js';
import { createStyle } from '../../ui/style.js';

type ForgetResult = ForgetOutput | ForgetListOutput | ForgetUndoOutput;

interface ForgetFlags {
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly yes: boolean;
  readonly 'from-file': boolean;
  readonly 'max-results'?: number | undefined;
}

export default class MemoryForget extends MemoryCommand<ForgetResult> {
  static override summary = 'Take passages out of memory, and keep them out.';
  static override description =
    `Takes a path, a citation such as memory/2026-02-03.md#L3-L5, or words, which are searched for. Shows what would go and asks first.

What is forgotten leaves the index and the cache of vectors, bytes on disk included, and does not come back with the next index, whichever file it stands in. The files themselves stay as they are; with --from-file they are changed too, and a backup is kept.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> 'memory/2026-02-03.md#L3-L5'",
    '<%= config.bin %> <%= command.id %> memory/2026-02-03.md --from-file --yes',
    '<%= config.bin %> <%= command.id %> "the code of the front door" --max-results 1',
    '<%= config.bin %> <%= command.id %> --list',
    '<%= config.bin %> <%= command.id %> --undo f1',
  ];
  static override args = {
    target: Args.string({ description: 'A path, a citation, or words to search for.' }),
  };
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    ...withEnvironment({
      'from-file': Flags.boolean({ summary: 'Take it out of the files too; a backup is kept.' }),
      'max-results': Flags.integer({
        char: 'n',
        summary: 'How many passages words may bring up (query.maxResults, 6).',
        helpValue: 'N',
        min: 1,
        max: 1000,
      }),
      list: Flags.boolean({ summary: 'Show what is forgotten.', exclusive: ['undo'] }),
      undo: Flags.string({
        summary: 'Take back what was forgotten under this id.',
        helpValue: 'ID',
      }),
    }),
  };

  async run(): Promise<ForgetResult> {
    const { args, flags } = await this.parse(MemoryForget);
    const memory = await this.openMemory(flags);
    const forgetting = await memory.backend.forgetting();
    const style = createStyle(this.terminal(flags).color);
    if (flags.list) {
      const entries = await forgetting.entries();
      this.write(renderForgetList(entries, { style, nowMs: this.context().clock.now() }));
      return forgetListOutput(memory, entries);
    }
    if (flags.undo !== undefined) return this.undo(memory, forgetting, flags.undo, flags);
    if (args.target === undefined || args.target.trim() === '') throw nothingNamed();
    return this.forget(memory, forgetting, args.target, flags);
  }

  private async forget(
    memory: OpenedMemory,
    forgetting: Forgetting,
    target: string,
    flags: ForgetFlags,
  ): Promise<ForgetOutput> {
    const work = { signal: this.signal };
    const terminal = this.terminal(flags);
    const fromFile = flags['from-file'];
    const plan = await forgetting.plan({ target, maxResults: flags['max-results'] }, work);
    this.write(renderForgetPlan(plan, { style: createStyle(terminal.color), fromFile }));
    if (!(flags.yes || (await confirm('Forget this?', terminal.screen, this.signal)))) {
      this.write('nothing was forgotten');
      return forgetOutput(memory, plan, undefined, []);
    }
    const entry = await forgetting.hide(plan, { fromFile }, work);
    const stores = await this.follow(memory, forgetting, flags);
    this.write(renderForgotten(entry));
    return forgetOutput(memory, plan, entry, stores);
  }

  private async undo(
    memory: OpenedMemory,
    forgetting: Forgetting,
    id: string,
    flags: ForgetFlags,
  ): Promise<ForgetUndoOutput> {
    const question = `Remember ${id} again?`;
    const { screen } = this.terminal(flags);
    if (!(flags.yes || (await confirm(question, screen, this.signal)))) {
      this.write(`${id} stays forgotten`);
      return forgetUndoOutput(memory, id, undefined, []);
    }
    const undone = await forgetting.undo(id, { signal: this.signal });
    const stores = await this.follow(memory, forgetting, flags);
    this.write(renderUndone(undone));
    return forgetUndoOutput(memory, id, undone, stores);
  }

  private async follow(
    memory: OpenedMemory,
    forgetting: Forgetting,
    flags: ForgetFlags,
  ): Promise<readonly StoreOutcome[]> {
    const { verbose } = flags;
    const quiet = flags.quiet || this.jsonEnabled();
    // Every file is read again, which takes its time in a large memory.
    const progress = createLazySyncProgress({ terminal: this.terminal(flags), quiet, verbose });
    const stores = await followInAllStores(forgetting, memory, this.context(), {
      signal: this.signal,
      onEvent: (event) => progress.onEvent(this.mask.data(event)),
    }).finally(progress.clear);
    for (const { store, clean, why } of stores) {
      if (!clean) this.addWarning({ code: 'FORGET_UNFINISHED', ...(why ?? inUse(store)) });
    }
    return stores;
  }
}

function inUse(store: string): Omit<Warning, 'code'> {
  return {
    message: `the ${store} is being read by another process: bytes of it stay until the next sync`,
    hint: 'run "svc memory index" once nothing else uses it',
  };
}

function nothingNamed(): SvcError {
  return new SvcError('USAGE', 'nothing to forget', {
    hint: "name it: svc memory forget 'memory/2026-02-03.md#L3-L5'",
  });
}
