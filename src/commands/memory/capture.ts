import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/base-command.js';
import { runCaptureHook } from '../../cli/capture-hook.js';
import {
  missingArgument,
  optionalArg,
  switchFlag,
  targetFlags,
  textFlag,
} from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { terminalStreams } from '../../cli/print.js';
import { SESSION_READERS } from '../../engine/config/index.js';
import { messageOf } from '../../engine/errors/index.js';
import { type LastCapture, recordCapture } from '../../engine/integrate/index.js';
import { captureConversation } from '../../engine/notes/capture/index.js';
import type { MemoryCaptureOutput } from '../../engine/notes/index.js';
import { typedPath } from '../../engine/support/context.js';
import { unlessSystemError } from '../../engine/support/files.js';
import { shellWord } from '../../engine/support/text.js';
import { iso } from '../../engine/support/time.js';
import { renderCapture } from '../../ui/memory/notes.js';
import { safeLines } from '../../ui/safe-text.js';

/** Readers of coding agents only: svc itself and OpenClaw run no such hooks. */
const HOOK_READERS = SESSION_READERS.filter((reader) => reader !== 'svc' && reader !== 'openclaw');

export default class MemoryCapture extends MemoryCommand {
  static override summary = "Add what was decided in a conversation to today's note.";
  static override description =
    `Reads the transcript of a coding agent and keeps the sentences in which something was decided or asked to be remembered. Running it again for the same conversation adds only what is new. A sentence with a secret is left out.

--agent-hook is for the hooks of coding agents: it reads the agent's JSON on stdin (for OpenCode, --session names the conversation), captures in the background, and never fails. Errors are in logs/capture.log in the state folder.`;
  static override examples = examples(
    '--dry-run session.jsonl',
    'session.jsonl --reader claude-code',
    '--agent-hook claude-code',
  );
  static override args = { transcript: optionalArg('File of a conversation.') };
  static override flags = {
    ...targetFlags,
    'agent-hook': Flags.option({
      options: HOOK_READERS,
      summary: "Read this agent's hook JSON from stdin.",
    })(),
    'dry-run': switchFlag('Show what would be kept, and write nothing.'),
    reader: Flags.option({
      options: SESSION_READERS,
      summary: 'Format of the transcript (default: detected).',
    })(),
    session: textFlag(
      'Name of the conversation (default: the name of the file), or its id in a database.',
      'ID',
    ),
  };

  protected override readonly hookFlag = 'agent-hook';

  async run(): Promise<MemoryCaptureOutput | Record<string, never>> {
    const { args, flags } = await this.parse(MemoryCapture);
    const context = this.context();
    if (flags['agent-hook'] !== undefined) {
      await runCaptureHook(flags['agent-hook'], flags, context);
      return {};
    }
    if (args.transcript === undefined) {
      const hint = 'for example: svc memory capture --dry-run session.jsonl';
      throw missingArgument('TRANSCRIPT (the file of a conversation)', hint);
    }
    const request = {
      file: typedPath(args.transcript, context),
      reader: flags.reader,
      session: flags.session,
      dryRun: flags['dry-run'],
    };
    /** Hooks name the agent; nobody sees how they end, unlike on a terminal. */
    const hook = flags['dry-run'] ? undefined : flags.reader;
    const openAndCapture = async () => {
      const memory = await this.openMemory(flags);
      return { memory, ...(await captureConversation(memory, request, this.noteOptions())) };
    };
    const work = this.whileWaiting('capturing', openAndCapture);
    const { memory, capture, warnings } = await work.catch((error: unknown) => {
      if (hook !== undefined && !terminalStreams.stderr.isTTY) {
        this.record(hook, { added: 0, error: this.mask.text(messageOf(error)) });
        this.noteFailed(hook, flags.session, request.file);
      }
      throw error;
    });
    this.addWarnings(warnings);
    const added = capture.decisions.filter(({ outcome }) => outcome === 'added').length;
    if (hook !== undefined) this.record(hook, { added, error: null });
    const { agentId, agent } = memory;
    const output = { agent: agentId, workspace: agent.workspaceDir, ...capture };
    this.write(renderCapture(output));
    return output;
  }

  private record(reader: string, result: Omit<LastCapture, 'atMs'>): void {
    const { clock, state } = this.context();
    // A full disk must not hide how the capture ended.
    unlessSystemError(() => recordCapture(state, reader, { atMs: clock.now(), ...result }));
  }

  /** The next capture replaces the record, and the error alone names neither the conversation nor the time. */
  private noteFailed(reader: string, session: string | undefined, file: string): void {
    const options = session === undefined ? [] : ['--session', shellWord(session)];
    const command = ['svc memory capture', '--reader', reader, ...options, shellWord(file)];
    const time = iso(this.context().clock.now());
    this.note(safeLines(this.hintFor(`${time} failed: ${command.join(' ')}`)));
  }
}
