#!/usr/bin/env -S node --import tsx
const { main } = await import('../src/cli/main.ts');
await main(import.meta.url, { dir: 'src/commands', extension: '.ts' });
