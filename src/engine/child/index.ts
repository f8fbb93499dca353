/* Programs in their own process groups. Imported directly: `minder.js`, which starts a process. */
export { childEnvironment, wholeEnvironment } from './child-environment.js';
export { type ChildCall, type ChildEnd, ChildGroup, type Mind } from './child-group.js';
export { findProgram, resolveFromConfig } from './find-program.js';
export { type ProgramEnd, runProgram } from './run-program.js';
