import './build-checkout.js';
import { runSource } from './run-source.js';

const PARTS = new Set([
  'commands',
  'dreaming',
  'embedding',
  'ext',
  'flows',
  'growth',
  'mcp',
  'recall',
  'sessions',
  'vectors',
  'webhooks',
]);
const part = process.argv[2] ?? '';
runSource(PARTS.has(part) ? `bench/${part}.ts` : 'bench/main.ts');
