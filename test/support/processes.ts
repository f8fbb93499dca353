/** Whether a process exists; one that has ended and whose parent has not noticed yet does. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
