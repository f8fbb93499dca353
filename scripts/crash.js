import './build-checkout.js';
import { runSource } from './run-source.js';

runSource('stress/crash/main.ts');
