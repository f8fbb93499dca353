import { runSource } from './run-source.js';

runSource('bench/eval/main.ts');
