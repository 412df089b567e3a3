package org.octofs.client.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Curves over one pair of axes, drawn as SVG. The vertical axis is logarithmic; the horizontal one may be. */
final class Plot {
    private static final int WIDTH = 520;
    private static final int HEIGHT = 300;
    private static final int LEFT = 70;
    private static final int BOTTOM = 40;
    private static final int TOP = 30;
    private static final int LEGEND_LINE = 15;
    private static final String[] COLOURS = {
        "#1b6ca8", "#d1495b", "#2e933c", "#e08e45", "#6a4c93", "#00a6a6", "#8a6d3b", "#444", "#c77dff", "#9cb000",
        "#ff7b9c", "#5fa8d3"
    };

    private final String title;
    private final String xName;
    private final String yName;
    private final boolean logarithmic;
    private final List<Curve> curves = new ArrayList<>();

    private record Curve(String name, List<double[]> points) {}

    Plot(String title, String xName, String yName, boolean logarithmic) {
        this.title = title;
        this.xName = xName;
        this.yName = yName;
        this.logarithmic = logarithmic;
    }

    /** Adds a curve; points are {x, y}. */
    void curve(String name, List<double[]> points) {
        if (!points.isEmpty()) {
            curves.add(new Curve(name, points));
        }
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private double x(double value) {
        return logarithmic ? Math.log(Math.max(value, 1)) : value;
    }

    private static double y(double value) {
        return Math.log10(Math.max(value, 1e-3));
    }

    /** Draws it, if there is anything to be drawn. */
    void appendTo(StringBuilder page) {
        if (curves.isEmpty()) {
            return;
        }
        double xLow = Double.MAX_VALUE;
        double xHigh = -Double.MAX_VALUE;
        double yLow = Double.MAX_VALUE;
        double yHigh = -Double.MAX_VALUE;
        for (Curve curve : curves) {
            for (double[] point : curve.points) {
                xLow = Math.min(xLow, x(point[0]));
                xHigh = Math.max(xHigh, x(point[0]));
                yLow = Math.min(yLow, y(point[1]));
                yHigh = Math.max(yHigh, y(point[1]));
            }
        }
        yLow = Math.floor(yLow);
        yHigh = Math.max(Math.ceil(yHigh), yLow + 1);
        double xScale = (WIDTH - LEFT - 10) / Math.max(xHigh - xLow, 1e-9);
        double yScale = (HEIGHT - TOP - BOTTOM) / (yHigh - yLow);
        int height = HEIGHT + LEGEND_LINE * curves.size();
        page.append("<svg width=\"%d\" height=\"%d\" font-size=\"11\" font-family=\"sans-serif\">"
                .formatted(WIDTH, height));
        text(page, WIDTH / 2.0, 16, "middle", title + " (" + yName + ")");
        for (double decade = yLow; decade <= yHigh; decade++) {
            double at = HEIGHT - BOTTOM - (decade - yLow) * yScale;
            line(page, LEFT, at, WIDTH - 10.0, at);
            text(page, LEFT - 6.0, at + 4, "end", number(Math.pow(10, decade)));
        }
        double lastLabel = -100;
        for (double[] point : curves.getFirst().points) {
            double at = LEFT + (x(point[0]) - xLow) * xScale;
            if (at - lastLabel > 45) {
                text(page, at, HEIGHT - BOTTOM + 15.0, "middle", number(point[0]));
                lastLabel = at;
            }
        }
        text(page, WIDTH / 2.0, HEIGHT - 8.0, "middle", xName);
        for (int i = 0; i < curves.size(); i++) {
            String colour = COLOURS[i % COLOURS.length];
            StringBuilder points = new StringBuilder();
            for (double[] point : curves.get(i).points) {
                points.append(String.format(
                        Locale.ROOT,
                        "%.1f,%.1f ",
                        LEFT + (x(point[0]) - xLow) * xScale,
                        HEIGHT - BOTTOM - (y(point[1]) - yLow) * yScale));
            }
            page.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"").append(colour);
            page.append("\" points=\"").append(points.toString().strip()).append("\"/>");
            double at = HEIGHT + LEGEND_LINE * i + 4.0;
            page.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%.0f\" width=\"10\" height=\"10\" fill=\"%s\"/>",
                    LEFT,
                    at,
                    colour));
            text(page, LEFT + 16.0, at + 9, "start", curves.get(i).name);
        }
        page.append("</svg>\n");
    }

    private static String number(double value) {
        if (value >= 1 << 20 && value % (1 << 20) == 0) {
            return (long) value / (1 << 20) + "Mi";
        }
        if (value >= 1 << 10 && value % (1 << 10) == 0) {
            return (long) value / (1 << 10) + "Ki";
        }
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static void line(StringBuilder page, double x1, double y1, double x2, double y2) {
        page.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" stroke=\"#ddd\"/>",
                x1,
                y1,
                x2,
                y2));
    }

    private static void text(StringBuilder page, double x, double y, String anchor, String words) {
        page.append(String.format(
                Locale.ROOT, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escape(words)));
    }
}
