import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Config } from '@oclif/core/config';
import packageJson from '../../package.json' with { type: 'json' };
import { type CommandModules, findCommand } from './dispatch.js';
import { createLeanConfig } from './lean-config.js';

interface CommandModule {
  readonly default: new (argv: string[], config: Config) => { start(): Promise<void> };
}

/**
 * The program. A known command is imported and run straight away; everything else (help, version,
 * completion, mistyped words) goes through oclif's full start.
 *
 * @param binUrl `import.meta.url` of the file in bin/
 * @param modules where the command modules lie, relative to the package root
 */
export async function main(
  binUrl: string,
  modules: { readonly dir: string; readonly extension: CommandModules['extension'] },
): Promise<void> {
  const root = dirname(dirname(fileURLToPath(binUrl)));
  const argv = process.argv.slice(2);
  const found = findCommand(argv, { dir: join(root, modules.dir), extension: modules.extension });
  if (found === undefined) {
    const { runWithOclif } = await import('./run-with-oclif.js');
    await runWithOclif(argv, root, modules.extension === '.ts');
    return;
  }
  const { default: CommandClass }: CommandModule = await import(
    pathToFileURL(found.modulePath).href
  );
  Object.assign(CommandClass, { id: found.id });
  await new CommandClass(found.argv, createLeanConfig(root, packageJson)).start();
}
