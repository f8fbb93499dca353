import { release } from 'node:os';
import type { ProcessFacts } from '../engine/overview/about.js';
import { currentPlatform } from './platform.js';

/** What this process knows of itself. @param root absolute path of the package */
export function processFacts(root: string): ProcessFacts {
  return {
    root,
    nodeVersion: process.versions.node,
    nodePath: process.execPath,
    platform: currentPlatform(),
    release: release(),
  };
}
