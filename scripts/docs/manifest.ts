import { readFileSync } from 'node:fs';
import { type Interfaces, Plugin } from '@oclif/core';
import { assignVariables } from '../../src/cli/command-line.js';

type Manifest = Plugin['manifest'];
/** A command in the manifest. */
export type ManifestCommand = Manifest['commands'][string];
/** A flag in the manifest. */
export type ManifestFlag = ManifestCommand['flags'][string];

/**
 * The manifest of the built program, made like `oclif manifest` by importing every command in dist/. Sorted,
 * because the order of files in a folder differs between machines.
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
  // A command gives its flags their variables when it starts.
  for (const { flags } of Object.values(plugin.manifest.commands)) assignVariables(flags);
  const commands = Object.entries(plugin.manifest.commands).sort(([a], [b]) => (a < b ? -1 : 1));
  return { commands: Object.fromEntries(commands), version: plugin.manifest.version };
}

/** The commands of oclif's help plugin. */
export function pluginCommands(root: string): readonly ManifestCommand[] {
  const file = `${root}/node_modules/@oclif/plugin-help/oclif.manifest.json`;
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  return Object.values(manifest.commands).filter((command) => command.hidden !== true);
}
