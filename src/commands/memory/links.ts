import { examples } from '../../cli/base-command.js';
import { missingArgument, optionalArg, switchFlag, targetFlags } from '../../cli/flags.js';
import { MemoryCommand } from '../../cli/memory-command.js';
import type { LinksOutput } from '../../engine/memory/inspect/output-schemas.js';
import { renderBrokenLinks, renderLinks } from '../../ui/memory/inspect.js';

export default class MemoryLinks extends MemoryCommand {
  static override summary = 'Show which notes a file links to, and which link to it.';
  static override description =
    'Covers [[Target]], [[Target|label]], [[Target#Heading]] and Markdown links between indexed files. A target is a path relative to the note or the workspace, or a file name that only one file has. A broken link leads to no indexed file, or to a name of several.';
  static override examples = examples(
    'memory/house.md',
    '--broken',
    'README.md --workspace . --json',
  );
  static override args = { path: optionalArg('A file or a citation; all notes with --broken.') };
  static override flags = {
    ...targetFlags,
    broken: switchFlag('Show only broken links, of all notes without a PATH.'),
  };

  async run(): Promise<LinksOutput> {
    const { args, flags } = await this.parse(MemoryLinks);
    const { path } = args;
    if (path === undefined && !flags.broken) {
      const hint = 'pass a file, or --broken for the broken links of all notes';
      throw missingArgument('PATH', hint);
    }
    const memory = await this.openMemory(flags);
    const inspection = await memory.backend.inspection();
    const agent = memory.agentId;
    if (path === undefined) {
      const links = await this.query('reading links', (work) => inspection.links(work));
      const broken = links.broken();
      this.write(renderBrokenLinks(broken, this.view()));
      return { agent, path: null, out: [], back: [], broken };
    }
    const links = await this.query('reading links', (work) => inspection.linksOf(path, work));
    if (flags.broken) {
      this.write(renderBrokenLinks(links.broken, this.view()));
      return { agent, ...links, out: [], back: [] };
    }
    this.write(renderLinks(links, this.view()));
    return { agent, ...links };
  }
}
