import {
  integrateOutputSchema,
  integrationsOutputSchema,
} from '../../src/engine/integrate/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const FILE = '/home/ada/.cursor/mcp.json';

const integrate: JsonDocument = {
  title: 'svc integrate',
  introduction:
    'What changes, or would change, in the configuration of an agent. With `--json` svc asks nothing: add `--yes` or `--dry-run`.',
  schema: integrateOutputSchema,
  example: {
    agent: 'cursor',
    scope: 'user',
    action: 'add',
    written: true,
    server: {
      name: 'svc',
      command: ['/usr/bin/node', '/usr/local/bin/svc', 'mcp'],
      env: {},
      url: null,
      tokenEnv: null,
    },
    hook: null,
    capture: null,
    changes: [
      {
        file: FILE,
        part: 'server',
        change: 'add',
        diff: [
          { kind: 'context', text: '{' },
          { kind: 'context', text: '  "mcpServers": {' },
          { kind: 'added', text: '    "svc": {' },
        ],
      },
    ],
    warnings: [],
  },
};

const list: JsonDocument = {
  title: 'svc integrate --list',
  introduction: 'Every supported agent.',
  schema: integrationsOutputSchema,
  example: {
    scope: 'user',
    agents: [
      {
        agent: 'cursor',
        detected: true,
        file: FILE,
        servers: ['svc'],
        moved: [],
        hookFile: null,
        hook: false,
        activeMemory: null,
        captures: false,
        captureMoved: null,
        error: null,
      },
    ],
    warnings: [],
  },
};

/** The documents of svc integrate. */
export const INTEGRATE_DOCUMENTS: readonly JsonDocument[] = [integrate, list];
