import { readFileSync } from 'node:fs';
import { type Interfaces, Plugin } from '@oclif/core';

type Manifest = Plugin['manifest'];
/** One command as the manifest describes it. */
export type ManifestCommand = Manifest['commands'][string];
/** One flag of it. */
export type ManifestFlag = ManifestCommand['flags'][string];

/**
 * The manifest of the built program, made as `oclif manifest` makes it: by importing every command
 * of dist/. Sorted, because the order in which folders list their files differs between machines.
 */
export async function makeManifest(root: string): Promise<Manifest> {
  const options: Interfaces.PluginOptions = {
    root,
    type: 'core',
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  };
  const plugin = new Plugin(options);
  await plugin.load();
  const commands = Object.entries(plugin.manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1));
  return { commands: Object.fromEntries(commands), version: plugin.manifest.version };
}

/** The commands that come with oclif's plugins. */
export function pluginCommands(root: string): readonly ManifestCommand[] {
  return ['plugin-autocomplete', 'plugin-help'].flatMap((plugin) => {
    const file = `${root}/node_modules/@oclif/${plugin}/oclif.manifest.json`;
    const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
    return Object.values(manifest.commands).filter((command) => command.hidden !== true);
  });
}
