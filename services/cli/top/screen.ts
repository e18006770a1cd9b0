import { writeSync } from 'node:fs';

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

/**
 * The terminal as a page that is drawn over: what was there before is there again afterwards, however this process ends, but
 * for kill -9.
 */
export class Page {
  readonly #fd: number;
  #open = true;
  readonly #close = (): void => this.close();

  constructor(fd: number) {
    this.#fd = fd;
    process.on('exit', this.#close);
    this.#write(enter);
  }

  /** In one write, each line over the one that was there: nothing is blank in between, so nothing flickers. */
  draw(frame: string): void {
    const lines = frame.split('\n').map((line) => `${line}\u001b[K`);
    this.#write(`\u001b[H${lines.join('\r\n')}\u001b[J`);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    process.off('exit', this.#close);
    this.#write(leave);
  }

  /** At once: at the end of a process nothing waits for what is still on its way. */
  #write(text: string): void {
    try {
      writeSync(this.#fd, text);
    } catch {
      // the terminal is gone, or does not read: the next frame is whole again
    }
  }
}
