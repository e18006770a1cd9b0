import { writeSync } from 'node:fs';

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

/**
 * The terminal as a page that is redrawn. Afterwards its previous contents are restored, however this process ends,
 * except by kill -9.
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

  /** Overwrites each line, in one write: nothing is blank in between, so nothing flickers. */
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

  /** Synchronous, because a process that exits does not wait for pending writes. */
  #write(text: string): void {
    try {
      writeSync(this.#fd, text);
    } catch {
      // the terminal is gone or does not read; the next frame is complete again
    }
  }
}
