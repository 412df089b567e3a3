package org.octofs.client.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: a node that does not answer holds up no other, and is greeted again afterwards. Method: a greeting that waits for the test. */
class GreeterTest {
    private static final int SLOW = 0;
    private static final int QUICK = 1;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final CountDownLatch quick = new CountDownLatch(1);
    private final CountDownLatch slowAgain = new CountDownLatch(2);
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    @Test
    void aNodeThatIsAwayHoldsUpNobody() throws InterruptedException {
        Greeter greeter = new Greeter(this::greeting, this::thread, 2);
        greeter.greet(SLOW);
        await(begun);
        greeter.greet(SLOW);
        greeter.greet(QUICK);
        await(quick);
        assertThat(slowAgain.getCount())
                .as("greetings of the slow node that are over")
                .isEqualTo(2);
        answer.countDown();
        await(slowAgain);
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(10));
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(threads).hasSize(2);
    }

    @Test
    void stoppingEndsWhatWaits() throws InterruptedException {
        Greeter greeter = new Greeter(this::greeting, this::thread, 2);
        greeter.greet(SLOW);
        await(begun);
        greeter.stop();
        threads.getFirst().join(TimeUnit.SECONDS.toMillis(10));
        assertThat(threads.getFirst().isAlive()).isFalse();
        greeter.greet(QUICK);
        assertThat(threads).hasSize(1);
    }

    private Thread thread(Runnable work) {
        Thread thread = Thread.ofPlatform().daemon().unstarted(work);
        threads.add(thread);
        return thread;
    }

    private void greeting(int nodeId) {
        if (nodeId == QUICK) {
            quick.countDown();
            return;
        }
        begun.countDown();
        try {
            await(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        slowAgain.countDown();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
