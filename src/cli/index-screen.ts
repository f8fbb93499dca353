/**
 * Loads the index screen. It is imported from a file of its own because show-sync.ts is part of the start,
 * which Node.js 20 runs from cached code (see bin/run.js), and V8 cannot import ES modules from cached code.
 */
export const loadIndexScreen = () => import('../ui/screens/index/run.js');
