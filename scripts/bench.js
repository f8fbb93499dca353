import './build-checkout.js';
import { runSource } from './run-source.js';

runSource(process.argv[2] === 'vectors' ? 'bench/vectors.ts' : 'bench/main.ts');
