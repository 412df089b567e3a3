package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.EventChannel;

/** Where the connection manager reports. */
final class NativeEventChannel extends RdmaEventChannel {
    final MemorySegment pointer;

    NativeEventChannel(MemorySegment pointer) throws IOException {
        super(pointer.get(JAVA_INT, EventChannel.FD));
        this.pointer = pointer;
    }
}
