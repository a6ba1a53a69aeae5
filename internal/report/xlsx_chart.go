package report

import (
	"fmt"
	"strings"
)

// A SheetChart is a chart beside the table of a sheet. The categories are in the first column.
type SheetChart struct {
	Kind        SheetChartKind
	Columns     []int    // of its series, numbered from 0; none: there is no chart
	Minus, Plus int      // columns with the distances of the bounds of intervals from a single series; 0: none
	Colors      []string // of the series, like #3d68d8; empty: those of [SeriesColor]
}

// A SheetChartKind is how a chart of a sheet shows its series.
type SheetChartKind int

const (
	ColumnChart SheetChartKind = iota // over time
	LineChart                         // over time
	BarChart                          // horizontal
)

// maxChartRows is the number of rows up to which a sheet has a chart.
const maxChartRows = 5000

// A sheetChart is the chart of a sheet while the workbook is written.
type sheetChart struct {
	SheetChart
	table Table
	sheet string
}

// Namespaces of DrawingML (ECMA-376, part 1, clauses 20 and 21).
const (
	drawingNames = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + office + `"`
	chartNames   = "http://schemas.openxmlformats.org/drawingml/2006/chart"
)

// writeChart writes the parts of the chart of the sheet that was written last.
func (b *Workbook) writeChart(c *sheetChart) error {
	b.charts++
	column := len(c.table.Columns) + 1
	drawing := fmt.Sprintf(`<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" %s><xdr:twoCellAnchor><xdr:from><xdr:col>%d</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>%d</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>21</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to>`+
		`<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Chart %d"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="%s"><c:chart xmlns:c="%s" r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>`,
		drawingNames, column, column+10, b.charts, chartNames, chartNames)
	for _, part := range []struct{ name, text string }{
		{fmt.Sprintf("xl/worksheets/_rels/sheet%d.xml.rels", len(b.names)), relationships(fmt.Sprintf(`<Relationship Id="rId1" Type="%s/drawing" Target="../drawings/drawing%d.xml"/>`, office, b.charts))},
		{fmt.Sprintf("xl/drawings/drawing%d.xml", b.charts), drawing},
		{fmt.Sprintf("xl/drawings/_rels/drawing%d.xml.rels", b.charts), relationships(fmt.Sprintf(`<Relationship Id="rId1" Type="%s/chart" Target="../charts/chart%d.xml"/>`, office, b.charts))},
		{fmt.Sprintf("xl/charts/chart%d.xml", b.charts), c.xml()},
	} {
		if err := b.writePart(part.name, part.text); err != nil {
			return err
		}
	}
	return nil
}

// xml returns the chart part. Excel reads the numbers from the cells.
func (c *sheetChart) xml() string {
	var plot, series strings.Builder
	last := len(c.table.Rows) + 1
	for n, column := range c.Columns {
		fmt.Fprintf(&series, `<c:ser><c:idx val="%d"/><c:order val="%d"/><c:tx><c:strRef><c:f>%s</c:f></c:strRef></c:tx>`, n, n, c.area(column, 1, 1))
		color := SeriesColor(n)
		if n < len(c.Colors) {
			color = c.Colors[n]
		}
		color = strings.ToUpper(strings.TrimPrefix(color, "#"))
		if c.Kind == LineChart {
			fmt.Fprintf(&series, `<c:spPr><a:ln w="25400"><a:solidFill><a:srgbClr val="%s"/></a:solidFill></a:ln></c:spPr><c:marker><c:symbol val="none"/></c:marker>`, color)
		} else {
			fmt.Fprintf(&series, `<c:spPr><a:solidFill><a:srgbClr val="%s"/></a:solidFill></c:spPr><c:invertIfNegative val="0"/>%s`, color, c.errorBars(last))
		}
		values := "num"
		if c.table.Columns[0].Kind == TextColumn {
			values = "str"
		}
		fmt.Fprintf(&series, `<c:cat><c:%[1]sRef><c:f>%[2]s</c:f></c:%[1]sRef></c:cat><c:val><c:numRef><c:f>%[3]s</c:f></c:numRef></c:val>`, values, c.area(0, 2, last), c.area(column, 2, last))
		if c.Kind == LineChart {
			series.WriteString(`<c:smooth val="0"/>`)
		}
		series.WriteString("</c:ser>")
	}
	switch c.Kind {
	case LineChart:
		fmt.Fprintf(&plot, `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>%s<c:marker val="1"/><c:axId val="1"/><c:axId val="2"/></c:lineChart>`, series.String())
	case BarChart:
		fmt.Fprintf(&plot, `<c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/>%s<c:gapWidth val="50"/><c:axId val="1"/><c:axId val="2"/></c:barChart>`, series.String())
	default:
		fmt.Fprintf(&plot, `<c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/>%s<c:gapWidth val="30"/><c:axId val="1"/><c:axId val="2"/></c:barChart>`, series.String())
	}
	plot.WriteString(c.axes())
	legend := ""
	if len(c.Columns) > 1 {
		legend = `<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>`
	}
	return fmt.Sprintf(`<c:chartSpace xmlns:c="%s" %s><c:roundedCorners val="0"/><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1400" b="0"/></a:pPr><a:r><a:rPr lang="en-US" sz="1400" b="0"/><a:t>%s</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>%s</c:plotArea>%s<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>`,
		chartNames, drawingNames, appendXMLText(nil, c.table.Name), plot.String(), legend)
}

// axes returns the axis of the categories and that of the values. Bars are in the order of the rows.
func (c *sheetChart) axes() string {
	kind, form, order, sides, rest := "catAx", "General", "minMax", [2]string{"b", "l"}, ""
	switch c.table.Columns[0].Kind {
	case DateColumn:
		kind, form, rest = "dateAx", `mmm\ d`, `<c:auto val="1"/><c:baseTimeUnit val="days"/>`
	case TimeColumn:
		form = `mmm\ d\ h\ AM/PM`
	}
	if c.Kind == BarChart {
		order, sides = "maxMin", [2]string{"l", "t"}
	}
	values, limit := "#,##0", ""
	if c.Plus > 0 {
		limit = `<c:max val="1"/>` // the axis would otherwise end with the largest value
	}
	if c.table.Columns[c.Columns[0]].Kind == ShareColumn {
		values = "0%"
	}
	return fmt.Sprintf(`<c:%[1]s><c:axId val="1"/><c:scaling><c:orientation val="%[2]s"/></c:scaling><c:delete val="0"/><c:axPos val="%[3]s"/><c:numFmt formatCode="%[4]s" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/><c:crossAx val="2"/><c:crosses val="autoZero"/>%[5]s</c:%[1]s>`, kind, order, sides[0], form, rest) +
		fmt.Sprintf(`<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/>%s<c:min val="0"/></c:scaling><c:delete val="0"/><c:axPos val="%s"/><c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:srgbClr val="DFE3EA"/></a:solidFill></a:ln></c:spPr></c:majorGridlines><c:numFmt formatCode="%s" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="1"/><c:crosses val="autoZero"/></c:valAx>`, limit, sides[1], values)
}

// errorBars returns the intervals of a series.
func (c *sheetChart) errorBars(last int) string {
	if c.Plus == 0 {
		return ""
	}
	ref := func(column int) string { return "<c:numRef><c:f>" + c.area(column, 2, last) + "</c:f></c:numRef>" }
	return `<c:errBars><c:errBarType val="both"/><c:errValType val="cust"/><c:noEndCap val="0"/><c:plus>` + ref(c.Plus) + `</c:plus><c:minus>` + ref(c.Minus) +
		`</c:minus><c:spPr><a:ln w="12700"><a:solidFill><a:srgbClr val="182030"/></a:solidFill></a:ln></c:spPr></c:errBars>`
}

// area returns a reference to rows of a column of the sheet.
func (c *sheetChart) area(column, first, last int) string {
	name := "'" + strings.ReplaceAll(c.sheet, "'", "''") + "'!"
	cell := func(row int) string {
		text := cellName(column, row)
		letters := strings.TrimRight(text, "0123456789")
		return "$" + letters + "$" + text[len(letters):]
	}
	text := name + cell(first)
	if last > first {
		text += ":" + cell(last)
	}
	return string(appendXMLText(nil, text))
}
