import { BaseCommand, examples } from '../../cli/base-command.js';
import type { StorageStatusOutput } from '../../engine/storage/index.js';
import { storageStatus } from '../../engine/storage/storage-status.js';
import { renderStorageStatus } from '../../ui/storage.js';

export default class StorageStatus extends BaseCommand {
  static override summary = 'Show where memories and flows are stored.';
  static override description =
    'With storage.url: the PostgreSQL server, the version of its tables, sizes, who is connected, and how far replicas lag behind. Without it: the SQLite files of this machine. Exits with 1 if the server cannot be used as it is.';
  static override examples = examples('', '--json');

  async run(): Promise<StorageStatusOutput> {
    await this.parse(StorageStatus);
    const status = await storageStatus(this.context(), await this.loadConfig());
    this.write(renderStorageStatus(this.mask.data(status), this.view()));
    if (status.server?.usable === false) this.setExitCode(1);
    return status;
  }
}
