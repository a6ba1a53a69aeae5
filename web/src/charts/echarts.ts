// The parts of ECharts that the app uses, in a chunk of their own.
import { BarChart, CustomChart, HeatmapChart, LineChart, MapChart } from "echarts/charts";
import { AriaComponent, DataZoomInsideComponent, GeoComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, MarkPointComponent, TooltipComponent, VisualMapContinuousComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

echarts.use([BarChart, CustomChart, LineChart, HeatmapChart, MapChart, GridComponent, GeoComponent, TooltipComponent, LegendComponent, DataZoomInsideComponent, VisualMapContinuousComponent, MarkAreaComponent, MarkLineComponent, MarkPointComponent, AriaComponent, CanvasRenderer]);

export { echarts };
