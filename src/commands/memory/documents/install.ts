import * as Args from '@oclif/core/args';
import { BaseCommand, examples } from '../../../cli/base-command.js';
import { switchFlag } from '../../../cli/flags.js';
import { installNotes, runSteps, type Step } from '../../../cli/steps.js';
import { searchedAgents } from '../../../engine/config/index.js';
import { skipSvcError } from '../../../engine/errors/index.js';
import type { InstalledPackages } from '../../../engine/install/installed-packages.js';
import {
  installPdfLibrary,
  removePdfLibrary,
} from '../../../engine/memory/extract/install-pdf-library.js';
import type { InstallDocumentsOutput } from '../../../engine/memory/output-schemas.js';
import { librariesDir } from '../../../engine/memory/sources/index.js';
import { libraryWords } from '../../../ui/provider/install-words.js';

type Library = InstallDocumentsOutput['library'];

export default class MemoryDocumentsInstall extends BaseCommand {
  static override summary = 'Install the library that reads PDF files.';
  static override description =
    `The library is the npm package unpdf (about 2 MB), in one exact release whose content is checked. npm installs it into the state folder; nothing is compiled and no package scripts run. Other kinds of documents need no library.

You can interrupt it at any time: the library is installed completely or not at all. To index PDF files, add "pdf" to memorySearch.documents.`;
  static override examples = examples('pdf', 'pdf --json', 'pdf --remove');
  static override args = {
    format: Args.string({
      description: 'The kind of documents.',
      options: ['pdf'],
      required: true,
    }),
  };
  static override flags = {
    force: switchFlag('Reinstall the library.', { char: 'f' }),
    remove: switchFlag('Remove the library.', { exclusive: ['force'] }),
  };

  async run(): Promise<InstallDocumentsOutput> {
    const { flags } = await this.parse(MemoryDocumentsInstall);
    const { env, state, homeDir } = this.context();
    const dir = librariesDir(state.stateDir);
    if (flags.remove) {
      const removed = await removePdfLibrary({ dir, signal: this.signal });
      const library: Library =
        removed === undefined
          ? { outcome: 'absent', version: null, folder: null, bytes: 0 }
          : { outcome: 'removed', ...packagesOutput(removed) };
      this.write(libraryWords(library, homeDir));
      return { library };
    }
    let library: Library | undefined;
    const install: Step = {
      title: 'library for PDF files',
      run: async (say) => {
        const { outcome, installed } = await installPdfLibrary({
          dir,
          force: flags.force === true,
          env,
          nodePath: process.execPath,
          signal: this.signal,
          onEvent: installNotes(say),
        });
        library = { outcome, ...packagesOutput(installed) };
        return libraryWords(library, homeDir);
      },
    };
    await runSteps([install], this.stepsOptions());
    if (library === undefined) throw new Error('the installation gave no result');
    if (!flags.quiet) {
      const index = this.hintFor('run "svc memory index"');
      const isOn = await this.isConfigured();
      this.write(isOn ? index : `add "pdf" to memorySearch.documents, and ${index}`);
    }
    return { library };
  }

  /** Whether an agent indexes PDF files. A configuration that cannot be used changes nothing for the library. */
  private async isConfigured(): Promise<boolean> {
    const loaded = await this.readConfig().catch(skipSvcError);
    const agents = loaded === undefined ? [] : searchedAgents(loaded, this.context());
    return agents.some(({ memorySearch }) => memorySearch.documents.includes('pdf'));
  }
}

function packagesOutput({ version, folder, bytes }: InstalledPackages): Omit<Library, 'outcome'> {
  return { version, folder, bytes };
}
