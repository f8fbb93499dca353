import { BaseCommand, examples } from '../../cli/base-command.js';
import { targetFlags, textFlag, yesFlag } from '../../cli/flags.js';
import { type StorageOriginsOutput, storageOrigins } from '../../engine/storage/index.js';
import { renderOrigins } from '../../ui/storage.js';

export default class StorageOrigins extends BaseCommand {
  static override summary = 'List the hosts that index into shared memories, or remove one.';
  static override description =
    'An origin is a host, named by storage.origin. --forget removes everything that it indexed, for all agents or one; if the host still runs, its next sync indexes it again. Files are not touched, and vectors are kept for other hosts. Asks for confirmation.';
  static override examples = examples('', '--agent main --json', '--forget build-7 --yes');
  static override flags = {
    agent: targetFlags.agent,
    ...yesFlag,
    forget: textFlag('Remove this host from shared memories.', 'ORIGIN'),
  };

  async run(): Promise<StorageOriginsOutput> {
    const { flags } = await this.parse(StorageOrigins);
    const { agent, forget } = flags;
    const question = `Remove everything that ${forget} indexed from ${agent ?? 'all agents'}?`;
    const output = await storageOrigins(this.context(), await this.loadConfig(), {
      agent,
      forget,
      agrees: () => this.agrees(question, flags),
      whileRemoving: (remove) => this.whileWaiting(`removing ${forget}`, remove),
    });
    this.write(renderOrigins(output, this.view()));
    return output;
  }
}
