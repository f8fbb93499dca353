import * as Flags from '@oclif/core/flags';
import { examples } from '../../cli/base-command.js';
import {
  missingArgument,
  optionalArg,
  switchFlag,
  targetFlags,
  textFlag,
  textsFlag,
} from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import { textOnStdin } from '../../cli/standard-streams.js';
import { addNote, type MemoryAddOutput, MOST_NOTE_BYTES } from '../../engine/notes/index.js';
import { expandHome } from '../../engine/support/paths.js';
import { renderAddition } from '../../ui/memory/notes.js';

export default class MemoryAdd extends MemoryCommand {
  static override summary = "Add text to today's note.";
  static override description =
    `Appends one line as a list item, or several lines as they are. Without TEXT, or with -, the text is read from stdin. A line that the file already has is not added again.

Text that looks like a secret is refused, and so is text that was forgotten. "svc memory undo" takes it back.`;
  static override examples = examples(
    '"The backup runs at 03:00 now"',
    '"Ada is allergic to nuts" --file MEMORY.md --heading People',
    '"Move the server to Hetzner" --tag decision --tag infra',
    '--heading "Team meeting" < minutes.txt',
  );
  static override args = { text: optionalArg('What to add; - reads stdin.') };
  static override flags = {
    ...targetFlags,
    file: Flags.string({
      summary: 'Note to add to: today, MEMORY.md, or a path like memory/projects.md.',
      helpValue: 'PATH',
      default: 'today',
    }),
    heading: textFlag('Section to add to; created at the end if it is missing.', 'TEXT'),
    tag: textsFlag('Tag of the line; repeatable.', 'TAG'),
    'allow-secret': switchFlag('Add it even if it looks like a secret.'),
  };

  async run(): Promise<MemoryAddOutput> {
    const { args, flags } = await this.parse(MemoryAdd);
    // The limit itself is reported where it is checked; no more is read than that takes.
    const isPiped = args.text === undefined || args.text === '-';
    const text = isPiped ? await textOnStdin(MOST_NOTE_BYTES, true, this.signal) : args.text;
    if (text === undefined) {
      const hint = 'for example: svc memory add "The backup runs at 03:00 now"';
      throw missingArgument('TEXT (what to add)', hint);
    }
    const memory = await this.openMemory(flags);
    const request = {
      text,
      file: expandHome(flags.file, this.context().homeDir),
      heading: flags.heading,
      tags: flags.tag,
      allowSecret: flags['allow-secret'],
      origin: 'command',
    } as const;
    const { warnings, ...added } = await addNote(memory, request, this.noteOptions());
    this.addWarnings(warnings);
    const { agentId, agent } = memory;
    const output = { agent: agentId, workspace: agent.workspaceDir, ...added };
    this.write(renderAddition(output));
    return output;
  }
}
