import './build-checkout.js';
import { runSource } from './run-source.js';

runSource('test/ext/main.ts');
