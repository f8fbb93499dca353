import { cliPage } from './cli-page.js';
import { commandsPage } from './commands-page.js';
import { configurationPage } from './configuration-page.js';
import { errorsPage } from './errors-page.js';
import { jsonPage } from './json-page.js';
import { manPage } from './man-page.js';
import { makeManifest, pluginCommands } from './manifest.js';
import { webhookSendersPage } from './webhook-senders-page.js';

/** A committed file that is generated from the code. */
export interface GeneratedFile {
  /** Relative to the package folder. */
  readonly path: string;
  readonly text: string;
}

/**
 * Every generated file, up to date.
 *
 * @param root the package folder; its dist/ must be up to date
 */
export async function generatedFiles(root: string): Promise<readonly GeneratedFile[]> {
  const manifest = await makeManifest(root);
  const commands = Object.values(manifest.commands).filter(({ hidden }) => hidden !== true);
  return [
    { path: 'oclif.manifest.json', text: manifestText(manifest) },
    { path: 'docs/commands.md', text: commandsPage(commands, pluginCommands(root)) },
    { path: 'docs/cli.md', text: cliPage(commands) },
    { path: 'docs/configuration.md', text: configurationPage() },
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'man/svc.1', text: manPage(commands, manifest.version) },
    { path: 'docs/json.md', text: jsonPage() },
    { path: 'docs/webhook-senders.md', text: webhookSendersPage() },
  ];
}

/** A line for each command: differences are readable, and a third of the size is saved. */
function manifestText({ commands, ...rest }: Awaited<ReturnType<typeof makeManifest>>): string {
  const lines = Object.entries(commands).map(
    ([id, command]) => `${JSON.stringify(id)}:${JSON.stringify(command)}`,
  );
  return `{"commands":{\n${lines.join(',\n')}\n},${JSON.stringify(rest).slice(1)}\n`;
}
