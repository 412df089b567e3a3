package org.octofs.tests.crash;

import java.util.List;
import java.util.function.Consumer;

/** Cases over two and three homes. */
final class HomeCases {
    private HomeCases() {}

    static void add(List<CrashCase> to) {
        twoHomes(to);
        threeHomes(to);
    }

    private static void two(List<CrashCase> to, String name, Consumer<FsCalls> prepare, Consumer<FsCalls> run) {
        to.add(new CrashCase(
                name + " (2 homes)",
                2,
                fs -> {
                    CrashCase.homes(fs, 2);
                    prepare.accept(fs);
                },
                run));
    }

    private static void twoHomes(List<CrashCase> to) {
        two(to, "mkdir", fs -> {}, fs -> fs.mkdir("/h@0/d@1"));
        two(to, "mkdir twice", fs -> {}, fs -> {
            fs.mkdir("/h@0/d@1");
            fs.mkdir("/h@1/d@0");
        });
        two(to, "rmdir", fs -> fs.mkdir("/h@0/d@1"), fs -> fs.rmdir("/h@0/d@1"));
        two(to, "link", fs -> fs.create("/h@1/f"), fs -> fs.link("/h@1/f", "/h@0/l"));
        two(
                to,
                "unlink of one of two names",
                fs -> {
                    fs.create("/h@1/f");
                    fs.link("/h@1/f", "/h@0/l");
                },
                fs -> fs.unlink("/h@0/l"));
        two(
                to,
                "unlink of the last name",
                fs -> {
                    fs.create("/h@1/f");
                    fs.write("/h@1/f", 0, 2, 1);
                    fs.rename("/h@1/f", "/h@0/f");
                },
                fs -> fs.unlink("/h@0/f"));
        two(to, "link that is refused", fs -> {}, fs -> {
            fs.linkRefused("/h@1", "/h@0/l");
            fs.chmod("/h@1", 0x180);
        });
        two(to, "file without a name gets one elsewhere", fs -> {}, fs -> {
            fs.createUnnamed("/h@1");
            fs.nameIt("/h@0/l");
        });
        two(
                to,
                "create below a default list",
                fs -> fs.setList("/h@0", Lists.DEFAULT, Lists.of(7, 7, 5, 7, 5)),
                fs -> fs.create("/h@0/f"));
        two(to, "rename of a file", fs -> fs.create("/h@0/f"), fs -> fs.rename("/h@0/f", "/h@1/g"));
        two(
                to,
                "rename of a file over a file",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@1/g");
                    fs.write("/h@1/g", 0, 2, 1);
                },
                fs -> fs.rename("/h@0/f", "/h@1/g"));
        two(
                to,
                "rename over a file of another home",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@1/g");
                    fs.rename("/h@1/g", "/h@0/g");
                },
                fs -> fs.rename("/h@0/f", "/h@0/g"));
        two(
                to,
                "rename of a directory there and back",
                fs -> {
                    fs.mkdir("/h@0/d@1");
                    fs.create("/h@0/d@1/x");
                },
                fs -> {
                    fs.rename("/h@0/d@1", "/h@1/e");
                    fs.rename("/h@1/e", "/h@0/f");
                });
        two(
                to,
                "exchange of files",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@1/g");
                    fs.write("/h@1/g", 0, 1, 1);
                },
                fs -> fs.exchange("/h@0/f", "/h@1/g"));
    }

    private static void three(List<CrashCase> to, String name, Consumer<FsCalls> prepare, Consumer<FsCalls> run) {
        to.add(new CrashCase(
                name + " (3 homes)",
                3,
                fs -> {
                    CrashCase.homes(fs, 3);
                    prepare.accept(fs);
                },
                run));
    }

    private static void threeHomes(List<CrashCase> to) {
        three(
                to,
                "rename over a file",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@2/g");
                    fs.rename("/h@2/g", "/h@1/g");
                },
                fs -> fs.rename("/h@0/f", "/h@1/g"));
        three(
                to,
                "rename of a directory",
                fs -> {
                    fs.mkdir("/h@1/d@2");
                    fs.create("/h@1/d@2/x");
                },
                fs -> fs.rename("/h@1/d@2", "/h@0/d"));
        three(
                to,
                "rename of a directory over a directory",
                fs -> {
                    fs.mkdir("/h@1/d@2");
                    fs.create("/h@1/d@2/x");
                    fs.mkdir("/h@2/e@0");
                },
                fs -> fs.rename("/h@1/d@2", "/h@2/e@0"));
        three(
                to,
                "exchange of file and directory",
                fs -> {
                    fs.create("/h@1/f");
                    fs.mkdir("/h@2/d@0");
                    fs.create("/h@2/d@0/x");
                },
                fs -> fs.exchange("/h@1/f", "/h@2/d@0"));
    }
}
