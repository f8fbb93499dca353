import './build-checkout.js';
import { runSource } from './run-source.js';

runSource('bench/main.ts');
