/** Where new ids come from. */
export interface IdSource {
  /** 128 random bits in URL-safe letters: an id that cannot be guessed or met twice. */
  newId(): string;
}
