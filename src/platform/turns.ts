/** Items that wait for their turn: those of one owner in their order, and the owners one after the other. */
export class Turns<Item> {
  /** The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Item[]>();
  size = 0;

  add(owner: string, item: Item) {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, [item]);
    else own.push(item);
    this.size += 1;
  }

  sizeOf(owner: string) {
    return this.#waiting.get(owner)?.length ?? 0;
  }

  /** Takes out the next item of an owner who may have one now. */
  next(mayHave: (owner: string) => boolean = () => true): Item | undefined {
    for (const [owner, [item, ...rest]] of this.#waiting) {
      if (!mayHave(owner)) continue;
      this.#waiting.delete(owner);
      if (rest.length > 0) this.#waiting.set(owner, rest);
      this.size -= 1;
      return item;
    }
    return undefined;
  }

  /** Takes out this item; false if it does not wait. */
  remove(owner: string, item: Item) {
    const own = this.#waiting.get(owner);
    const rest = own?.filter((other) => other !== item) ?? [];
    if (own === undefined || rest.length === own.length) return false;
    if (rest.length > 0) this.#waiting.set(owner, rest);
    else this.#waiting.delete(owner);
    this.size -= 1;
    return true;
  }
}
