import type { ExtSettings } from './ext-settings.js';
import { readExtState, updateExtState } from './ext-state.js';
import type { ToolFeatures } from './tool/features.js';
import type { Tool } from './tool/open-tool.js';

/**
 * What an installed release can: asked once, remembered until another one stands in its place.
 *
 * @throws ToolFailure; the signal's reason
 */
export async function knownFeatures(
  tool: Tool,
  { dir, update }: ExtSettings,
  signal: AbortSignal | undefined,
): Promise<ToolFeatures> {
  const { detected } = readExtState(dir);
  if (detected?.key === tool.key) return detected.features;
  const { detectFeatures } = await import('./tool/features.js');
  const features = await detectFeatures(tool, { timeoutMs: update.commandTimeoutMs, signal });
  updateExtState(dir, (state) => ({ ...state, detected: { key: tool.key, features } }));
  return features;
}
