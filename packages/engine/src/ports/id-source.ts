/** Where new ids come from. */
export interface IdSource {
  /** 16 URL-safe letters: an id that cannot be guessed or met twice, and stands near those of its time. */
  newId(): string;
}
