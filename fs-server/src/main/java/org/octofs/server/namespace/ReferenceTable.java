package org.octofs.server.namespace;

/**
 * Hash table of slot references: open addressing, 8 bytes per place, {hash:32 | reference:32}. Keys are not stored; the
 * caller compares what the reference leads to. The stored hash saves most of those comparisons and lets the table grow
 * without reading the pool.
 * Threading:  confined to the worker.
 * Limits:     2^30 places; grows when 3/4 full, which takes about 15 ns per entry in one go.
 */
final class ReferenceTable {
    private static final int INITIAL_PLACES = 1024;
    private static final int PLACES_MAX = 1 << 30;

    private long[] places = new long[INITIAL_PLACES];
    private int mask = INITIAL_PLACES - 1;
    private int size;

    int size() {
        return size;
    }

    long memoryBytes() {
        return (long) places.length * Long.BYTES;
    }

    /** The first place with this hash, -1 if there is none. */
    int first(int hash) {
        return search(hash, spread(hash));
    }

    /** The next place with this hash, -1 if there is none. */
    int next(int hash, int place) {
        return search(hash, (place + 1) & mask);
    }

    int referenceAt(int place) {
        return (int) places[place];
    }

    void add(int hash, int reference) {
        if (reference == 0) {
            throw new IllegalArgumentException("reference 0 means none");
        }
        if (size >= places.length / 4 * 3) {
            grow();
        }
        insert((long) hash << 32 | (reference & 0xFFFF_FFFFL));
        size++;
    }

    /** Removes an entry; true if it was there. */
    boolean remove(int hash, int reference) {
        for (int place = first(hash); place >= 0; place = next(hash, place)) {
            if ((int) places[place] == reference) {
                removeAt(place);
                return true;
            }
        }
        return false;
    }

    private int spread(int hash) {
        return (hash ^ (hash >>> 15)) & mask;
    }

    private int search(int hash, int from) {
        int place = from;
        while (places[place] != 0) {
            if ((int) (places[place] >>> 32) == hash) {
                return place;
            }
            place = (place + 1) & mask;
        }
        return -1;
    }

    private void insert(long entry) {
        int place = spread((int) (entry >>> 32));
        while (places[place] != 0) {
            place = (place + 1) & mask;
        }
        places[place] = entry;
    }

    // Moves later entries back over the gap instead of leaving a marker, so that searches never slow down with age.
    private void removeAt(int removed) {
        int gap = removed;
        int place = gap;
        while (true) {
            place = (place + 1) & mask;
            long entry = places[place];
            if (entry == 0) {
                break;
            }
            int home = spread((int) (entry >>> 32));
            // The entry may fill the gap only if its home is not between the gap and itself.
            if (((place - home) & mask) >= ((place - gap) & mask)) {
                places[gap] = entry;
                gap = place;
            }
        }
        places[gap] = 0;
        size--;
    }

    /** Loads the place where an entry will go, so that several of them come from memory at the same time. */
    long touch(int hash) {
        return places[spread(hash)];
    }

    /** Makes room for so many entries in all at once; growing by and by would move each of them several times. */
    void expect(long count) {
        int wanted = places.length;
        while (count > wanted / 4 * 3L && wanted < PLACES_MAX) {
            wanted *= 2;
        }
        if (wanted > places.length) {
            resize(wanted);
        }
    }

    private void grow() {
        if (places.length >= PLACES_MAX) {
            throw new IllegalStateException("more than " + size + " entries in one table");
        }
        resize(places.length * 2);
    }

    private void resize(int placeCount) {
        long[] old = places;
        places = new long[placeCount];
        mask = places.length - 1;
        for (long entry : old) {
            if (entry != 0) {
                insert(entry);
            }
        }
    }
}
