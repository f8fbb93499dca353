// For processes that a compiled test starts with the options of its own: what runs from source needs tsx.
if (/\.tsx?$/.test(process.argv[1] ?? '')) await import('tsx');
