import { existsSync } from 'node:fs';
import { OPENAI_DIMENSIONS } from '../openai.js';
import { HOSTED, type Provider } from '../provider.js';
import { loginFile } from './auth-files.js';

/** The embedding models of a GitHub Copilot plan. */
export const githubCopilot: Provider<'github-copilot'> = {
  ...HOSTED,
  id: 'github-copilot',
  kind: 'code-assistant',
  prefixes: ['github-copilot', 'copilot'],
  cost: 'subscription',
  endpoint: null,
  ownOrigins: /^https:\/\/(?:[a-z\d-]+\.)*(?:githubcopilot|ghe)\.com$/u,
  endpointKnown: 'configured',
  model: null,
  dimensions: OPENAI_DIMENSIONS,
  key: {
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
    required: true,
    loginFile,
  },
  // Only a variable meant for Copilot counts: the others are set in many shells and CI jobs for
  // other reasons, and are used only if Copilot is configured.
  detect: ({ env, stateDir }) => {
    if ((env['COPILOT_GITHUB_TOKEN'] ?? '').trim() !== '') {
      return { available: true, because: 'env COPILOT_GITHUB_TOKEN' };
    }
    return existsSync(loginFile(stateDir))
      ? { available: true, because: 'signed in' }
      : {
          available: false,
          why: 'set COPILOT_GITHUB_TOKEN, or run "svc provider login github-copilot"',
        };
  },
  open: async (settings, tools, signal) => {
    const { createCopilotVendor } = await import('./vendor.js');
    return createCopilotVendor(githubCopilot, settings, tools, signal);
  },
};
