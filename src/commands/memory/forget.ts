import { examples } from '../../cli/base-command.js';
import {
  type FlagsOf,
  maxResultsFlag,
  missingArgument,
  optionalArg,
  switchFlag,
  targetFlags,
  textFlag,
  yesFlag,
} from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import {
  type ForgetListOutput,
  type ForgetOutput,
  type Forgetting,
  type ForgetUndoOutput,
  forgetListOutput,
  forgetOutput,
  forgetUndoOutput,
} from '../../engine/memory/forget/index.js';
import type { OpenedMemory } from '../../engine/memory/index.js';
import { whileNotesAreLocked } from '../../engine/notes/index.js';
import {
  renderForgetList,
  renderForgetPlan,
  renderForgetResult,
  renderForgetUndo,
  renderRemains,
  undoQuestion,
} from '../../ui/memory/forget.js';

type ForgetFlags = FlagsOf<typeof MemoryForget>;

export default class MemoryForget extends MemoryCommand {
  static override summary = 'Forget passages, permanently.';
  static override description =
    `Takes a path, a citation such as memory/2026-02-03.md#L3-L5, or a search query. Shows what would be forgotten and asks for confirmation.

Forgotten passages are erased from the index and the cache of vectors, and are not indexed again from any file. The files themselves are not changed, unless you pass --from-file: then all listed files are edited, including MEMORY.md, DREAMS.md and dreaming reports, and a backup of each is kept. Places where the text remains within other words are listed, and the exit code is 1.`;
  static override examples = examples(
    "'memory/2026-02-03.md#L3-L5'",
    'memory/2026-02-03.md --from-file --yes',
    '"the code of the front door" --max-results 1',
    '--list',
    '--undo f1',
  );
  static override args = { target: optionalArg('A path, a citation, or a search query.') };
  static override flags = {
    ...targetFlags,
    ...yesFlag,
    'from-file': switchFlag('Remove it from the files too, keeping backups.'),
    'max-results': maxResultsFlag('Maximum passages for a query (query.maxResults, 6).'),
    list: switchFlag('List what is forgotten.', { exclusive: ['undo'] }),
    undo: textFlag('Undo the entry with this ID.', 'ID'),
  };

  async run(): Promise<ForgetOutput | ForgetListOutput | ForgetUndoOutput> {
    const { args, flags } = await this.parse(MemoryForget);
    const memory = await this.openMemory(flags);
    const forgetting = await memory.backend.forgetting();
    if (flags.list) {
      const entries = await forgetting.entries();
      this.write(renderForgetList(entries, this.view()));
      return forgetListOutput(memory, entries);
    }
    if (flags.undo !== undefined) return this.undo(memory, forgetting, flags.undo, flags);
    if (args.target === undefined || args.target.trim() === '') {
      const hint = "for example: svc memory forget 'memory/2026-02-03.md#L3-L5'";
      throw missingArgument('TARGET (a path, a citation, or a query)', hint);
    }
    return this.forget(memory, forgetting, args.target, flags);
  }

  private async forget(
    memory: OpenedMemory,
    forgetting: Forgetting,
    target: string,
    flags: ForgetFlags,
  ): Promise<ForgetOutput> {
    await this.completeForgetting(memory);
    const work = this.workOptions();
    const fromFile = flags['from-file'];
    const request = { target, maxResults: flags['max-results'], fromFile };
    const plan = await this.whileWaiting('searching', () => forgetting.plan(request, work));
    const files = fromFile ? 'changed' : 'kept';
    this.write(renderForgetPlan(plan, { ...this.view(), files }));
    if (!(await this.agrees('Forget this?', flags))) {
      this.write('nothing was forgotten');
      return forgetOutput(memory, plan, undefined, []);
    }
    const hide = () => forgetting.hide(plan, { fromFile }, work);
    const entry = await (fromFile ? whileNotesAreLocked(memory, this.noteOptions(), hide) : hide());
    // It stays forgotten if a store fails.
    this.write(this.hintFor(renderForgetResult(entry)));
    const stores = await this.followForgetting(memory, forgetting);
    // What is in no file is found by no agent.
    if (!fromFile) await this.warnOfOtherAgents(memory, plan);
    const remains = fromFile ? await forgetting.remains(plan, work) : [];
    this.write(renderRemains(remains));
    // --from-file promises to remove it from the files, so a remainder is a failure.
    if (remains.length > 0) this.setExitCode(1);
    return forgetOutput(memory, plan, entry, stores, remains);
  }

  private async undo(
    memory: OpenedMemory,
    forgetting: Forgetting,
    id: string,
    flags: ForgetFlags,
  ): Promise<ForgetUndoOutput> {
    const entry = (await forgetting.entries()).find((one) => one.id === id);
    // Nothing is asked about an unknown ID: undoing it is an error.
    if (entry !== undefined && !(await this.agrees(undoQuestion(entry), flags))) {
      this.write(`${id} stays forgotten`);
      return forgetUndoOutput(memory, id, undefined, []);
    }
    // It may restore files.
    const undone = await whileNotesAreLocked(memory, this.noteOptions(), () =>
      forgetting.undo(id, { signal: this.signal }),
    );
    this.write(renderForgetUndo(undone));
    const stores = await this.followForgetting(memory, forgetting);
    return forgetUndoOutput(memory, id, undone, stores);
  }
}
